/** What is needed of an ONNX runtime; `onnxruntime-node` and `onnxruntime-web` both have it. */
export interface OnnxRuntime {
  readonly InferenceSession: { create(model: Uint8Array, options: SessionOptions): Promise<OnnxSession> };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dimensions: readonly number[]) => OnnxTensor;
}

export interface OnnxSession {
  run(inputs: Readonly<Record<string, OnnxTensor>>): Promise<Readonly<Record<string, OnnxTensor>>>;
}

export interface OnnxTensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}

interface SessionOptions {
  readonly intraOpNumThreads: number;
  readonly interOpNumThreads: number;
}

/** Loads a module by its name; `import()` unless a test says otherwise. */
export type ImportModule = (name: string) => Promise<unknown>;

export type FoundRuntime =
  | { readonly kind: 'found'; readonly name: string; readonly runtime: OnnxRuntime }
  | { readonly kind: 'missing'; readonly reason: string };

/** The first ONNX runtime that is installed. Both are optional peers: none of them is fetched for who doesn't want it. */
export async function findOnnxRuntime(importModule: ImportModule): Promise<FoundRuntime> {
  const reasons: string[] = [];
  for (const name of RUNTIMES) {
    try {
      const runtime = asRuntime(await importModule(name));
      if (runtime !== undefined) return { kind: 'found', name, runtime };
      reasons.push(`${name} has no InferenceSession and Tensor`);
    } catch (error) {
      reasons.push(`${name}: ${firstLine(error)}`);
    }
  }
  return { kind: 'missing', reason: `No ONNX runtime could be loaded (${reasons.join('; ')}); install ${RUNTIMES[0]}` };
}

/** A CommonJS module may come whole under `default`. */
function asRuntime(module: unknown): OnnxRuntime | undefined {
  if (isRuntime(module)) return module;
  const inner = (module as { readonly default?: unknown } | undefined)?.default;
  return isRuntime(inner) ? inner : undefined;
}

function isRuntime(module: unknown): module is OnnxRuntime {
  const { InferenceSession, Tensor } = (module ?? {}) as Partial<OnnxRuntime>;
  return typeof InferenceSession?.create === 'function' && typeof Tensor === 'function';
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'] as const;
