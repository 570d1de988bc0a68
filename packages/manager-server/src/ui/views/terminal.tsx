import { useLocation } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Badge, Button, ButtonLink, type Tone, View } from '@steward/page-kit'
import { FailureNotice } from '../components/failure-notice.js'
import { FeatureOff } from '../components/feature-off.js'
import { pathTo } from '../lib/addresses.js'
import type { ApiFailure } from '../lib/api.js'
import { t } from '../lib/i18n.js'
import { useSession } from '../lib/session.js'
import '../styles/terminal.css'
import { connect, type End, type Shell } from './terminal/connect.js'
import { TerminalScreen, type Screen } from './terminal/screen.js'

type State =
  | { readonly is: 'connecting' }
  | { readonly is: 'open' }
  | { readonly is: 'failed'; readonly failure: ApiFailure }
  | { readonly is: 'ended'; readonly end: End }

const tones: Readonly<Record<State['is'], Tone>> = {
  connecting: 'busy',
  open: 'good',
  failed: 'bad',
  ended: 'neutral',
}

/** A shell on the server, of the manager or of an instance (`?instance=`). */
export function Terminal() {
  const session = useSession()
  if (session && !session.features.terminal)
    return (
      <View title={t('terminal.title')}>
        <FeatureOff title={t('off.terminal')} setting="APPS_TERMINAL=yes" />
      </View>
    )
  return <OpenTerminal />
}

function OpenTerminal() {
  const { query } = useLocation()
  const instance = query['instance'] === '' ? undefined : query['instance']
  const [state, setState] = useState<State>({ is: 'connecting' })
  const [isReadOut, setReadOut] = useState(false)
  const [turn, setTurn] = useState(0)
  const shell = useRef<Shell | undefined>(undefined)
  const again = useRef<HTMLButtonElement>(null)
  const leave = useRef<HTMLParagraphElement>(null)

  function begin(screen: Screen): () => void {
    const ended = new AbortController()
    setState({ is: 'connecting' })
    const onEnd = (end: End) => {
      shell.current = undefined
      if (ended.signal.aborted) return
      setState({ is: 'ended', end })
    }
    connect(instance, { onData: screen.write, onEnd }, ended.signal).then(
      (opened) => {
        shell.current = opened
        opened.resize(screen.columns, screen.rows)
        setState({ is: 'open' })
        screen.focus()
      },
      (failure: ApiFailure) => {
        if (!ended.signal.aborted) setState({ is: 'failed', failure })
      },
    )
    return () => ended.abort()
  }

  // The focus moves to the button that opens another one.
  useEffect(() => {
    if (state.is === 'ended') again.current?.focus()
  }, [state.is])

  const isOver = state.is === 'ended' || state.is === 'failed'
  return (
    <View
      title={instance === undefined ? t('terminal.title') : t('terminal.titleOf', { name: instance })}
      above={
        instance !== undefined && (
          <ButtonLink kind="quiet" small icon="back" href={pathTo('instances', instance)}>
            {instance}
          </ButtonLink>
        )
      }
      aside={
        <span role="status">
          <Badge tone={tones[state.is]}>{t(`terminal.is.${state.is}`)}</Badge>
        </span>
      }
      actions={
        <>
          <Button aria-pressed={isReadOut} onClick={() => setReadOut(!isReadOut)}>
            {t('terminal.readOut')}
          </Button>
          {isOver ? (
            <Button kind="primary" icon="refresh" ref={again} onClick={() => setTurn(turn + 1)}>
              {t('terminal.again')}
            </Button>
          ) : (
            <Button icon="close" onClick={() => shell.current?.close()}>
              {t('terminal.close')}
            </Button>
          )}
        </>
      }
    >
      {state.is === 'failed' && <FailureNotice failure={state.failure} />}
      {state.is === 'ended' && (
        <p class="terminal-end" role="alert">
          {state.end.why === 'refused' ? state.end.text : t(`terminal.end.${state.end.why}`)}
        </p>
      )}
      <section class={`terminal-frame ${state.is}`} aria-label={t('terminal.title')} hidden={state.is === 'failed'}>
        <TerminalScreen
          key={`${turn} ${instance}`}
          onReady={begin}
          onInput={(data) => shell.current?.write(data)}
          onResize={(columns, rows) => shell.current?.resize(columns, rows)}
          onLeave={() => leave.current?.focus()}
          isReadOut={isReadOut}
        />
      </section>
      <p class="terminal-about" tabIndex={-1} ref={leave}>
        {t('terminal.about')}
      </p>
    </View>
  )
}
