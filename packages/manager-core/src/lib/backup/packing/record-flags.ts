/** Fewer and larger pieces than the default of tar, 20 blocks of 512 bytes. */
const blockingFactor = 256

export const recordFlags = [`--blocking-factor=${blockingFactor}`, '--read-full-records']

/** GNU tar reports its progress after each 8 MB. */
export const progressFlags = [...recordFlags, '--checkpoint=64', '--checkpoint-action=echo=%u']

/** Bytes so far, from a line that reports them. */
export function progressOf(line: string): number | undefined {
  const [, records] = /^tar: (\d{1,10})$/.exec(line) ?? []
  return records === undefined ? undefined : Number(records) * blockingFactor * 512
}
