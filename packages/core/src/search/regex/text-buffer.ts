/** A text as code points, in an array that is reused from one text to the next. */
export interface TextBuffer {
  codes: Int32Array;
  length: number;
}

export function textBuffer(): TextBuffer {
  return { codes: new Int32Array(256), length: 0 };
}

export function fillBuffer(buffer: TextBuffer, text: string): void {
  if (buffer.codes.length < text.length) buffer.codes = new Int32Array(text.length * 2);
  const { codes } = buffer;
  let length = 0;
  for (let index = 0; index < text.length; index++) {
    let code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdbff) {
      code = text.codePointAt(index) ?? code;
      if (code > 0xffff) index++;
    }
    codes[length++] = code;
  }
  buffer.length = length;
}
