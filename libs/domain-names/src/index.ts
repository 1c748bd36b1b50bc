export * from './address-block.js';
export * from './asn.js';
export * from './cidr.js';
export * from './domain-name.js';
export * from './ip-address.js';
export * from './is-address-block.js';
export * from './refusal.js';
export * from './second-level-registries.js';
