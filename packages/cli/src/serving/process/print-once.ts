/** Prints nothing twice, however often the settings are read. */
export function printOnce(print: (line: string) => void): (line: string) => void {
  const told = new Set<string>();
  return (line) => {
    if (!told.has(line)) print(line);
    told.add(line);
  };
}
