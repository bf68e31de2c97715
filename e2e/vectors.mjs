// Runs the check of the reference vectors as a wasm module: node vectors.mjs MODULE.
import { readFile } from 'node:fs/promises';

const module = await readFile(process.argv[2]);
const { instance } = await WebAssembly.instantiate(module, {});
const disagrees = instance.exports.main(0, 0);
console.log(disagrees ? '0 passed, 1 failed' : '1 passed, 0 failed');
process.exit(disagrees);
