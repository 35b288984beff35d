import type { FieldWeights, StaticModelData } from './static-model.ts';

/**
 * A model file is a 4-byte little-endian length, that many bytes of JSON, zeros up to a multiple of 4, one float32 scale
 * a piece, and one row of int8 components a piece. The arrays are views of the bytes: nothing is copied.
 */
export function readModel(bytes: Uint8Array): StaticModelData {
  const headerLength = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength))) as ModelHeader;
  const pieces = header.pieces.split('\n');
  const scalesAt = bytes.byteOffset + 4 * Math.ceil((4 + headerLength) / 4);
  const rowsAt = scalesAt + 4 * pieces.length;
  const size = pieces.length * header.dimensions;
  if (rowsAt + size !== bytes.byteOffset + bytes.byteLength) {
    throw new RangeError(
      `The model file has ${bytes.byteLength} bytes where its header promises ${rowsAt + size - bytes.byteOffset}`,
    );
  }
  return {
    modelId: header.modelId,
    dimensions: header.dimensions,
    fields: header.fields,
    pieces,
    scales: new Float32Array(bytes.buffer, scalesAt, pieces.length),
    rows: new Int8Array(bytes.buffer, rowsAt, size),
  };
}

interface ModelHeader {
  readonly modelId: string;
  readonly dimensions: number;
  readonly fields: FieldWeights;
  /** One a line. */
  readonly pieces: string;
}
