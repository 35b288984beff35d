// Rows that need nothing but a bundler: what a bundle for each runtime does where the model was left behind.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, Script } from 'node:vm';
import { rolldown } from 'rolldown';

/** What an engine that runs anywhere has, and no more. */
const WEB_GLOBALS = {
  performance,
  TextDecoder,
  TextEncoder,
  URL,
  AbortController,
  AbortSignal,
  setTimeout,
  clearTimeout,
  queueMicrotask,
};

export function shortRows({ project, run }) {
  return [
    {
      name: 'browser',
      check: () => runBare('browser', { platform: 'browser', conditionNames: ['browser', 'import'] }),
    },
    {
      name: 'workerd-conditions',
      check: () => runBare('workerd', { platform: 'browser', conditionNames: ['workerd', 'worker', 'import'] }),
    },
    { name: 'cjs', check: () => runInNode('cjs') },
    { name: 'esm', check: () => runInNode('esm') },
    { name: 'size', check: checkSizes },
  ];

  /** What a browser loads before the first search. Unicode's character names are a chunk of their own, for patterns that have them. */
  async function checkSizes() {
    const sizes = [];
    for (const { names, most } of MOST_BYTES) {
      const input = `size-${names[0]}.mjs`;
      writeFileSync(join(project, input), `export { ${names.join(', ')} } from '@quartermaster/core';\n`);
      const code = await bundle(project, { ...SMALL, input });
      if (code.length > most) throw new Error(`${names[0]} takes ${code.length} bytes, more than ${most}`);
      sizes.push(`${names[0]} ${Math.ceil(code.length / 1_000)} kB`);
    }
    return `minified: ${sizes.join(', ')}`;
  }

  /** In a context that has neither a process nor modules. */
  async function runBare(title, { platform, conditionNames }) {
    const code = await bundle(project, {
      input: 'probe.mjs',
      format: 'iife',
      name: 'bundle',
      platform,
      conditionNames,
    });
    if (/from\s*["']node:|require\(["']/.test(code)) throw new Error('the bundle asks for modules of Node');
    const context = createContext({ ...WEB_GLOBALS });
    const answer = await new Script(`${code}; bundle.probe()`, { filename: `${title}.js` }).runInContext(context);
    return wordsAlone(answer, "can't be read without a file system");
  }

  async function runInNode(format) {
    const file = join(project, 'bundle', format === 'cjs' ? 'main.cjs' : 'main.mjs');
    const code = await bundle(project, {
      input: 'main.mjs',
      format,
      platform: 'node',
      conditionNames: ['node', 'import'],
    });
    run('mkdir', ['-p', join(project, 'bundle')]);
    writeFileSync(file, code);
    return wordsAlone(JSON.parse(run(process.execPath, ['--no-warnings', file])), 'provideModel(bytes)');
  }
}

const MOST_BYTES = [
  { names: ['createBm25Searcher', 'createSnapshot'], most: 92_000 },
  { names: ['createToolbox'], most: 239_000 },
  { names: ['runTools'], most: 263_000 },
];

const SMALL = { format: 'esm', platform: 'browser', conditionNames: ['browser', 'import'], isSmall: true };

/** One file, with everything in it; `isSmall` minifies it, and leaves what is loaded on demand to files of its own. */
export async function bundle(project, options) {
  const { input, format, name, platform, conditionNames, external = [], isSmall = false } = options;
  const made = await rolldown({
    input: join(project, input),
    cwd: project,
    platform,
    external,
    resolve: { conditionNames: [...conditionNames, 'default'] },
    logLevel: 'silent',
  });
  const { output } = await made.generate({
    format,
    ...(name === undefined ? {} : { name }),
    ...(isSmall ? { minify: true } : { codeSplitting: false }),
  });
  await made.close();
  return output[0].code;
}

function wordsAlone({ engine, problem }, reason) {
  if (engine !== 'bm25' || !problem?.includes(reason)) throw new Error(`it searched with ${engine}: ${problem}`);
  return 'searches by words alone, and says so';
}

export function readModelBytes(project) {
  return readFileSync(join(project, 'node_modules/@quartermaster/semantic/model/tools-static-v6.bin'));
}
