/** Fewer and larger pieces than the default of tar, 20 blocks of 512 bytes. */
export const recordFlags = ['--blocking-factor=256', '--read-full-records']
