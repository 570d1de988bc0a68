/** Blocks of 512 bytes in what tar reads or writes at once: fewer and larger pieces than its default, 20. */
const blockingFactor = 256

/** GNU tar reports its progress after each 8 MB. */
export const progressFlags = [
  `--blocking-factor=${blockingFactor}`,
  '--read-full-records',
  '--checkpoint=64',
  '--checkpoint-action=echo=%u',
]

/** Bytes so far, from a line that reports them. */
export function progressOf(line: string): number | undefined {
  const [, records] = /^tar: (\d+)$/.exec(line) ?? []
  return records === undefined ? undefined : Number(records) * blockingFactor * 512
}
