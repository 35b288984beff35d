/** What the command's exit status means; the help says the same. */
export const EXIT = {
  /** Something was found, or the job is done. */
  ok: 0,
  /** The search ran and nothing in the catalog fits. */
  nothingFound: 1,
  /** The check ran and found something wrong: a figure below its floor, a tool that can't be found. */
  findings: 1,
  /** The command line or a file is invalid. */
  badInput: 2,
  /** A port, store or host is unavailable; a retry may help (EX_UNAVAILABLE of sysexits.h). */
  unavailable: 69,
  /** A mistake in the program itself (EX_SOFTWARE of sysexits.h). */
  fault: 70,
  /** The output can't be written, for example because the disk is full (EX_IOERR of sysexits.h). */
  outputFailed: 74,
  /** Ctrl+C at a prompt: 128 and the number of SIGINT, as shells count. */
  interrupted: 130,
} as const;

/** The exit codes of the command line. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
