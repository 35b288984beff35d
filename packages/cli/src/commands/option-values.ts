import { InvalidArgumentError } from 'commander';

/** Reads a whole number within bounds; for commander, which adds the option's name to the message. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Allowed: a whole number from ${min} to ${max}.`);
  };
}
