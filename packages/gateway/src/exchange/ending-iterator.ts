/** The same parts; calls back as soon as they are over or no longer wanted. An iterator's own return may wait for a pending step. */
export function endingIterator<Part>(parts: AsyncIterator<Part>, onEnd: () => void): AsyncIterator<Part> {
  return {
    async next() {
      try {
        const result = await parts.next();
        if (result.done === true) onEnd();
        return result;
      } catch (error) {
        onEnd();
        throw error;
      }
    },
    async return() {
      onEnd();
      await parts.return?.();
      return { done: true, value: undefined };
    },
  };
}
