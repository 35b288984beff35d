/** Where the built page lies. */
export declare const consoleFolder: URL;
