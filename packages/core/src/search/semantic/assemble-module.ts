/**
 * As much of WebAssembly's binary format (https://webassembly.github.io/spec/core/binary) as a few loops over vectors need.
 * A module is written as instructions with their names, so that what runs can be read, and nothing is compiled by a tool.
 */

/** Bytes of code, nested as it was put together. */
export type Code = number | readonly Code[];

/** A function over 32-bit integers that is exported under its name. */
export interface WasmFunction {
  readonly name: string;
  /** How many integers it takes; they are its first locals. */
  readonly parameters: number;
  readonly returns: boolean;
  /** Further locals that are integers, after these those of 64 bits, and after these, those that are vectors. */
  readonly integers: number;
  readonly longs: number;
  readonly vectors: number;
  readonly body: readonly Code[];
}

/** A module with these functions, which imports its memory as `memory` of `host`. */
export function assembleModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters, returns }) => [
    FUNCTION_TYPE,
    list(new Array(parameters).fill(I32)),
    list(returns ? [I32] : []),
  ]);
  const exported = functions.map(({ name }, at) => [text(name), KIND.function, unsigned(at)]);
  return Uint8Array.from(
    flatten([
      MAGIC,
      section(SECTION.type, types),
      section(SECTION.import, [[text('host'), text('memory'), KIND.memory, NO_MAXIMUM, unsigned(1)]]),
      section(
        SECTION.function,
        functions.map((_, at) => unsigned(at)),
      ),
      section(SECTION.export, exported),
      section(SECTION.code, functions.map(encodeBody)),
    ]),
  );
}

const MAGIC: Code = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SECTION = { type: 1, import: 2, function: 3, export: 7, code: 10 } as const;
const KIND = { function: 0x00, memory: 0x02 } as const;
const FUNCTION_TYPE = 0x60;
const I32 = 0x7f;
const I64 = 0x7e;
const V128 = 0x7b;
const NO_RESULT = 0x40;
const NO_MAXIMUM = 0x00;
const END = 0x0b;

/** An instruction of the vector extension. */
const simd = (opcode: number): Code => [0xfd, unsigned(opcode)];

/** What is promised of an address (a power of two, as its exponent), and what is added to it. */
const address = (alignment: number, offset = 0): Code => [Math.log2(alignment), unsigned(offset)];

interface Instructions {
  get(local: number): Code;
  set(local: number): Code;
  tee(local: number): Code;
  /** Runs its body, and again from the start whenever an `againIf` inside asks for it. */
  loop(...body: readonly Code[]): Code;
  /** Takes a condition: starts the innermost loop over if it holds. */
  readonly againIf: Code;
  /** Takes a condition: runs its body if it holds. */
  if(...body: readonly Code[]): Code;
  readonly i32: Readonly<
    Record<'load' | 'load16u' | 'store' | 'store16' | 'add' | 'subtract' | 'multiply' | 'shiftLeft', Code> &
      Record<'lessUnsigned' | 'lessOrEqualUnsigned', Code>
  > & { const(value: number): Code };
  readonly i64: Readonly<Record<'add' | 'xor' | 'popcnt' | 'toI32', Code>> & { load(offset: number): Code };
  /** `load8x8s` reads eight signed bytes as eight 16-bit integers. */
  readonly v128: Readonly<Record<'load8x8s' | 'zero' | 'anyTrue', Code>> & { load(offset: number): Code };
  readonly i16x8: Readonly<Record<'splat' | 'lessOrEqualUnsigned', Code>>;
  /** `dot` multiplies 16-bit integers and adds neighbours. */
  readonly i32x4: Readonly<Record<'add' | 'dot', Code>> & { lane(at: number): Code };
}

/** The instructions that are used, with their operands. */
export const wasm: Instructions = {
  get: (local) => [0x20, unsigned(local)],
  set: (local) => [0x21, unsigned(local)],
  tee: (local) => [0x22, unsigned(local)],
  loop: (...body) => [0x03, NO_RESULT, body, END],
  againIf: [0x0d, 0],
  if: (...body) => [0x04, NO_RESULT, body, END],
  i32: {
    const: (value) => [0x41, signed(value)],
    load: [0x28, address(4)],
    load16u: [0x2f, address(2)],
    store: [0x36, address(4)],
    store16: [0x3b, address(2)],
    add: 0x6a,
    subtract: 0x6b,
    multiply: 0x6c,
    shiftLeft: 0x74,
    lessUnsigned: 0x49,
    lessOrEqualUnsigned: 0x4d,
  },
  i64: { load: (offset) => [0x29, address(8, offset)], add: 0x7c, xor: 0x85, popcnt: 0x7b, toI32: 0xa7 },
  v128: {
    load: (offset) => [simd(0x00), address(16, offset)],
    load8x8s: [simd(0x01), address(8)],
    zero: [simd(0x0c), new Array(16).fill(0)],
    anyTrue: simd(0x53),
  },
  i16x8: { splat: simd(0x10), lessOrEqualUnsigned: simd(0x34) },
  i32x4: { lane: (at) => [simd(0x1b), at], add: simd(0xae), dot: simd(0xba) },
};

function encodeBody({ integers, longs, vectors, body }: WasmFunction): Code {
  const locals = list([
    [unsigned(integers), I32],
    [unsigned(longs), I64],
    [unsigned(vectors), V128],
  ]);
  return sized([locals, body, END]);
}

function section(id: number, entries: readonly Code[]): Code {
  return [id, sized([list(entries)])];
}

/** Entries after their number. */
function list(entries: readonly Code[]): Code {
  return [unsigned(entries.length), entries];
}

/** Code after its length in bytes. */
function sized(code: readonly Code[]): Code {
  const bytes = flatten(code);
  return [unsigned(bytes.length), bytes];
}

function text(name: string): Code {
  return list([...name].map((character) => character.charCodeAt(0)));
}

/** LEB128: 7 bits a byte, low ones first, the high bit set on all bytes but the last. */
function unsigned(value: number): Code {
  return value < 0x80 ? value : [(value & 0x7f) | 0x80, unsigned(value >>> 7)];
}

/** The same with a sign: bit 6 of the last byte. */
function signed(value: number): Code {
  return value >= -0x40 && value < 0x40 ? value & 0x7f : [(value & 0x7f) | 0x80, signed(value >> 7)];
}

function flatten(code: Code): number[] {
  return typeof code === 'number' ? [code] : code.flatMap(flatten);
}
