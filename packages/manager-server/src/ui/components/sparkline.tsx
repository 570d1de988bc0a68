import '../styles/chart.css'

export interface SparklineProps {
  /** null: nothing was measured. */
  readonly values: readonly (number | null)[]
  /** What it shows, in words, with its last value: for a screen reader. */
  readonly label: string
}

const width = 120
const height = 28

/** The course of a value, small; gaps stay gaps. */
export function Sparkline({ values, label }: SparklineProps) {
  const measured = values.filter((value) => value !== null)
  if (measured.length < 2) return <span class="sparkline-none" role="img" aria-label={label} />
  const most = Math.max(...measured, 1e-9)
  const step = width / (values.length - 1)
  let isDown = false
  const path = values
    .map((value, at) => {
      if (value === null) {
        isDown = false
        return ''
      }
      const point = `${(at * step).toFixed(1)} ${(height - 2 - (value / most) * (height - 4)).toFixed(1)}`
      const command = isDown ? 'L' : 'M'
      isDown = true
      return `${command}${point}`
    })
    .join('')
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label} preserveAspectRatio="none">
      <path d={path} />
    </svg>
  )
}
