import crypto from 'node:crypto';
declare const scrypt: typeof crypto.scrypt;
/** Does it in a program that a test starts, as `node --import <this> program.js`. */
export declare const cheapPasswords: string;
/**
 * Hashes of passwords cost next to nothing in the tests of the surrounding group, whatever cost they name. They
 * are meant to take long, which is not the subject there, and fit only processes that do the same.
 */
export declare function useCheapPasswords(): void;
/** For all modules of this process. */
export declare function replaceScrypt(other: typeof scrypt): void;
export {};
