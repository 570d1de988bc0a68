/** A file outside of the home that setup looks after. */
export interface Piece {
  /** Absolute. */
  readonly path: string
  readonly mode: number
  readonly text: string
  /** `text` is the target of a link. */
  readonly isLink?: true
  /** What must find no fault in it before it counts: a program whose last argument is the file. */
  readonly checkedBy?: readonly string[]
  /** What it is for, for people. */
  readonly about: string
}
