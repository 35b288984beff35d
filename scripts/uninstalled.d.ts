// Packages that `npm ci` does not install: the benchmark's own, and a file that workerd bundles.
declare module 'flexsearch';
declare module '@lancedb/lancedb';
declare module 'minisearch';
declare module '@orama/orama';
declare module 'gpt-tokenizer/encoding/o200k_base';
declare module 'model.bin';
