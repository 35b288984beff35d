/** The other side of `start-process.mjs`. `more` is what a process measures beside what each of them tells. */
export function answerFigures(more = () => ({})) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const handles = process.getActiveResourcesInfo().length;
    process.send({ ...process.memoryUsage(), cpuMs: (user + system) / 1000, handles, ...more() });
  });
  // A run that was broken off leaves nothing behind.
  process.on('disconnect', () => process.exit(0));
}
