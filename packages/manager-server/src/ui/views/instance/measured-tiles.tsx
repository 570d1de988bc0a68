import { Sparkline } from '../../components/sparkline.js'
import { pathTo } from '../../lib/addresses.js'
import { t } from '../../lib/i18n.js'
import { isRunning, type Instance } from '../../lib/instance.js'
import { formatMeasure, measures } from '../../lib/units.js'
import { useSamples } from '../../lib/use-samples.js'

const hourMs = 3_600_000

/** What was measured last, and in the last hour; each leads to its chart. */
export function MeasuredTiles({ item }: { readonly item: Instance }) {
  const { name } = item
  const isOn = isRunning(item)
  const { series } = useSamples([name], hourMs, 60)
  const samples = series?.[0]?.samples ?? []
  const href = `${pathTo('monitor')}?instances=${encodeURIComponent(name)}`
  if (series && samples.length === 0) return <p class="quiet">{t('instance.notMeasured')}</p>
  return (
    <ul class="tiles" aria-busy={!series}>
      {measures.map((measure) => {
        const title = t(`monitor.${measure}`)
        const values = samples.map((sample) => sample[measure])
        const measured = values.filter((value) => value !== null)
        const [least, most] = [Math.min(...measured), Math.max(...measured)].map((value) =>
          formatMeasure(measure, value),
        )
        return (
          <li key={measure} class="tile panel">
            <a href={href}>{title}</a>
            {/* Of one that does not run only its files are as they were. */}
            <strong>{formatMeasure(measure, isOn || measure === 'disk_mb' ? values.at(-1) : null)}</strong>
            <Sparkline values={values} label={t('monitor.lastHour', { measure: title })} />
            <span class="quiet">
              {measured.length === 0
                ? '–'
                : least === most
                  ? least
                  : t('instance.range', { least: least!, most: most! })}
            </span>
          </li>
        )
      })}
    </ul>
  )
}
