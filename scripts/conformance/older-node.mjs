// The suite imports fs.globSync, which Node 20 does not have, and does not call it in what is run here.
import * as fs from 'node:fs';
import { register } from 'node:module';

const module = (text) => `data:text/javascript,${encodeURIComponent(text)}`;
const withGlob = `export * from 'node:fs'; export { default } from 'node:fs';
export const globSync = () => { throw new Error('fs.globSync needs Node 22'); };`;
const hooks = `export const resolve = (name, context, next) =>
  name === 'fs' && context.parentURL?.includes('/conformance/dist/')
    ? { url: ${JSON.stringify(module(withGlob))}, shortCircuit: true } : next(name, context);`;
if (!('globSync' in fs)) register(module(hooks));
