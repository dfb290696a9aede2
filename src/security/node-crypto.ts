/** `node:crypto`, loaded on first use: it would make every start a seventh longer. */
export const nodeCrypto = () => process.getBuiltinModule('node:crypto')
