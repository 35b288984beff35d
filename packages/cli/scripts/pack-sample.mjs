// Puts the sample catalog into the package while it is packed (`prepack`), and takes it out again (`postpack`): in the
// repository it has one home, examples/catalog.
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const packed = fileURLToPath(new URL('../data', import.meta.url));
rmSync(packed, { recursive: true, force: true });
if (process.argv[2] !== '--remove') {
  cpSync(fileURLToPath(new URL('../../../examples/catalog', import.meta.url)), `${packed}/catalog`, {
    recursive: true,
  });
}
