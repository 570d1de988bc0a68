import type { ComponentType, FunctionComponent } from 'preact'
import { lazy } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import { ViewFailed } from './view-boundary.js'

/** A view whose files are loaded when it is first shown, or before. */
export interface LazyView<Props> extends FunctionComponent<Props> {
  /** Loads them, unless there is no connection. */
  readonly preload: () => Promise<void>
}

const firstRetryMs = 1000
const longestRetryMs = 30_000

/**
 * A view with files of its own. Those that could not be loaded are loaded when there is a connection again, when the server
 * answers again, or when the user asks for it; until then the view says so.
 */
export function lazyView<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyView<Props> {
  let Loaded: ComponentType<Props> | undefined
  watchStyles()

  async function attempt(): Promise<void> {
    const missing = loadFailedStyles()
    Loaded ??= await Promise.all([load(), missing]).then(
      ([loaded]) => loaded,
      () => undefined,
    )
  }

  /** Instead of a view whose files are missing. */
  function Missing(props: Props) {
    const [busy, setBusy] = useState(false)
    const retry = async () => {
      setBusy(true)
      await attempt()
      setBusy(false)
    }
    useEffect(() => {
      const ended = new AbortController()
      let delay = firstRetryMs
      let timer: ReturnType<typeof setTimeout> | undefined
      // A request may fail though there is a connection: soon after it is back, or while the server is away.
      const keepTrying = async () => {
        if (navigator.onLine) await retry()
        if (Loaded || ended.signal.aborted) return
        clearTimeout(timer)
        timer = setTimeout(() => void keepTrying(), delay)
        delay = Math.min(2 * delay, longestRetryMs)
      }
      const whenOnline = () => {
        delay = firstRetryMs
        void keepTrying()
      }
      void keepTrying()
      addEventListener('online', whenOnline, ended)
      return () => {
        ended.abort()
        clearTimeout(timer)
      }
    }, [])
    return Loaded ? <Loaded {...props} /> : <ViewFailed busy={busy} onRetry={() => void retry()} />
  }

  const View = lazy<ComponentType<Props>>(async () => {
    await attempt()
    return Loaded ?? Missing
  })
  return Object.assign((props: Props) => <View {...props} />, { preload: attempt })
}

let failedStyles: Set<Element> | undefined

function watchStyles(): void {
  if (failedStyles) return
  const failed = (failedStyles = new Set())
  const listener = ({ target }: Event) => {
    if (target instanceof HTMLLinkElement) failed.add(target)
  }
  document.addEventListener('error', listener, { capture: true })
}

/** Vite asks for the styles of a view once, even if that fails. */
async function loadFailedStyles(): Promise<void> {
  const failed = [...(failedStyles ?? [])]
  failedStyles?.clear()
  await Promise.all(
    failed.map(async (link) => {
      const again = link.cloneNode() as Element
      link.replaceWith(again)
      await new Promise((resolve, reject) => {
        again.addEventListener('load', resolve)
        again.addEventListener('error', reject)
      })
    }),
  )
}

/** When what is shown first has been loaded. */
const preloadMs = 1000

/** Loads views one after the other while the page has nothing else to do, unless the user asks to save data. */
export async function preloadWhenIdle(views: readonly Pick<LazyView<never>, 'preload'>[]): Promise<void> {
  const { connection } = navigator as Navigator & { readonly connection?: { readonly saveData?: boolean } }
  if (connection?.saveData) return
  await new Promise((resolve) => setTimeout(resolve, preloadMs))
  for (const { preload } of views) {
    // Safari knows no idle time.
    if ('requestIdleCallback' in globalThis) await new Promise((resolve) => requestIdleCallback(resolve))
    await preload()
  }
}
