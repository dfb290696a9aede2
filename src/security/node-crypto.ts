/** `node:crypto`, loaded when it is first needed: it would make every start a seventh longer. */
export const nodeCrypto = () => process.getBuiltinModule('node:crypto')
