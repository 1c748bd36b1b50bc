export * from './event-transport.js';
