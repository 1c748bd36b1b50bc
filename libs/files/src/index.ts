export * from './file-failures.js';
export { InvalidFileKey, checkFileKey } from './file-key.js';
export * from './file-store.js';
export * from './files.config.js';
export * from './open-files.js';
