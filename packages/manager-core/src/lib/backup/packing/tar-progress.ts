/** Blocks of 512 bytes in what tar reads or writes at once: fewer and larger pieces than its default, 20. */
const blockingFactor = 256

/** GNU tar tells after each 8 MB how far it is. */
export const progressFlags = [
  `--blocking-factor=${blockingFactor}`,
  '--read-full-records',
  '--checkpoint=64',
  '--checkpoint-action=echo=%u',
]

/** Bytes so far, of a line that tells it. */
export function progressOf(line: string): number | undefined {
  const [, records] = /^tar: (\d+)$/.exec(line) ?? []
  return records === undefined ? undefined : Number(records) * blockingFactor * 512
}
