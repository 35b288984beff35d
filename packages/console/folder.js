/** Where the built page lies. */
export const consoleFolder = new URL('./dist/', import.meta.url);
