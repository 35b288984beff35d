export { wordSearcher } from '@quartermaster/core/testing';
