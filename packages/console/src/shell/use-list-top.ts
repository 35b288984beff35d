import { type RefObject, useEffect, useState } from 'react';

/** How far down the page a list begins; undefined before the first layout. What is above it grows and shrinks, and with it the page. */
export function useListTop(list: RefObject<HTMLElement | null>): number | undefined {
  const [top, setTop] = useState<number>();
  useEffect(() => {
    const measure = (): void => {
      const now = (list.current?.getBoundingClientRect().top ?? 0) + scrollY;
      setTop((old) => (old !== undefined && Math.abs(now - old) < 1 ? old : now));
    };
    // It calls back after the layout, when a position costs nothing to read.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [list]);
  return top;
}
