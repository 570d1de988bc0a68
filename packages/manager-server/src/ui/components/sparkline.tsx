import '../styles/chart.css'

export interface SparklineProps {
  /** null: nothing was measured. */
  readonly values: readonly (number | null)[]
  /** What it shows, in words, with its last value: for a screen reader. */
  readonly label: string
}

const width = 120
const height = 28

/** The course of a value, small; gaps stay gaps, and a value between gaps is a dot. */
export function Sparkline({ values, label }: SparklineProps) {
  const measured = values.filter((value) => value !== null)
  if (measured.length === 0) return <span class="sparkline-none" role="img" aria-label={label} />
  const most = Math.max(...measured, 1e-9)
  const step = width / Math.max(values.length - 1, 1)
  const has = (at: number) => (values[at] ?? null) !== null
  // A value alone is the newest one.
  const xOf = (at: number) => (values.length === 1 ? width : at * step)
  const points = values.map((value, at) =>
    value === null ? '' : `${xOf(at).toFixed(1)} ${(height - 2 - (value / most) * (height - 4)).toFixed(1)}`,
  )
  const line = points.map((point, at) => point && `${has(at - 1) ? 'L' : 'M'}${point}`).join('')
  // A line without length is drawn as the round end of its stroke.
  const dots = points.map((point, at) => (point && !has(at - 1) && !has(at + 1) ? `M${point}h0` : '')).join('')
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
      <path d={line} />
      {dots !== '' && <path class="dots" d={dots} />}
    </svg>
  )
}
