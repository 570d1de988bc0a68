import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import '@xterm/xterm/css/xterm.css'
import { useEffect, useRef } from 'preact/hooks'
import { t } from '../../lib/i18n.js'
import { coloursOf, onColours } from './colours.js'
import { makeStrictStyles } from './strict-styles.js'

/** What a screen can do for a shell. */
export interface Screen {
  readonly columns: number
  readonly rows: number
  write(data: Uint8Array): void
  focus(): void
}

export interface TerminalScreenProps {
  /** It is there; @returns ends what was set up with it */
  readonly onReady: (screen: Screen) => () => void
  readonly onInput: (data: Uint8Array) => void
  readonly onResize: (columns: number, rows: number) => void
  /** The user wants to leave it by the keyboard. */
  readonly onLeave: () => void
  /** What is written is read out. */
  readonly isReadOut: boolean
}

/** A terminal as wide and high as its place. */
export function TerminalScreen(props: TerminalScreenProps) {
  const place = useRef<HTMLDivElement>(null)
  const terminal = useRef<Terminal | undefined>(undefined)
  const now = useRef(props)
  now.current = props

  useEffect(() => {
    const element = place.current as HTMLDivElement
    const endStyles = makeStrictStyles()
    const made = new Terminal({
      fontFamily: getComputedStyle(element).fontFamily,
      fontSize: 14,
      lineHeight: 1.2,
      scrollback: 5000,
      cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
      minimumContrastRatio: 4.5,
      screenReaderMode: now.current.isReadOut,
      theme: coloursOf(element),
    })
    terminal.current = made
    const fit = new FitAddon()
    made.loadAddon(fit)
    made.open(element)
    made.textarea?.setAttribute('aria-label', t('terminal.input'))
    fit.fit()
    const encoder = new TextEncoder()
    made.onData((text) => now.current.onInput(encoder.encode(text)))
    // Bytes that are no text, of the mouse.
    made.onBinary((text) => now.current.onInput(Uint8Array.from(text, (one) => one.charCodeAt(0))))
    made.onResize(({ cols, rows }) => now.current.onResize(cols, rows))
    made.attachCustomKeyEventHandler((event) => handleKey(event, made, now.current.onLeave))
    const sized = new ResizeObserver(() => fit.fit())
    sized.observe(element)
    const endColours = onColours(() => (made.options.theme = coloursOf(element)))
    const end = now.current.onReady({
      get columns() {
        return made.cols
      },
      get rows() {
        return made.rows
      },
      write: (data) => made.write(data),
      focus: () => made.focus(),
    })
    return () => {
      end()
      endColours()
      sized.disconnect()
      made.dispose()
      endStyles()
    }
  }, [])

  useEffect(() => {
    if (terminal.current) terminal.current.options.screenReaderMode = props.isReadOut
  }, [props.isReadOut])

  return <div class="terminal-screen" ref={place} />
}

/** @returns whether the terminal gets the key */
function handleKey(event: KeyboardEvent, terminal: Terminal, leave: () => void): boolean {
  const { type, ctrlKey, shiftKey, code } = event
  if (!ctrlKey || !shiftKey || type !== 'keydown') return true
  // All keys belong to the shell; this is the way out.
  if (code === 'KeyL') {
    event.preventDefault()
    leave()
    return false
  }
  if (code === 'KeyC' && terminal.hasSelection()) {
    event.preventDefault()
    void navigator.clipboard?.writeText(terminal.getSelection()).catch(() => undefined)
    return false
  }
  // Pasting is up to the browser.
  return code !== 'KeyV'
}
