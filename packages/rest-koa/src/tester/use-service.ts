import type { ObjectMetadata } from '@steward/rest-core'
import { useEffect, useState } from 'preact/hooks'
import { objectNames } from './metadata.js'
import { hasLevel } from './operations.js'
import { ask, askText, credentialsOf } from './session.js'
import type { Session } from './session.js'
import type { Settings } from './settings.js'

/** Something that the page asks the service for. */
export interface Loaded<T> {
  readonly value: T | undefined
  /** Why it is not there; empty while it loads. */
  readonly problem: string
}

/** The objects that the user may work with; the documentation of the service knows them. */
export function useObjects({ rest, level }: Settings, session: Session): Loaded<readonly string[]> {
  const hasOpenapi = hasLevel(level, '4.0')
  const read = hasOpenapi ? objectsOfOpenapi : objectsOfMarkdown
  return useAsked(`${rest}/?_doc=true${hasOpenapi ? '&_output=openapi' : ''}`, session, read)
}

async function objectsOfOpenapi(url: string, init: RequestInit): Promise<readonly string[]> {
  return objectNames(Object.keys(((await ask(url, init)) as { paths: object }).paths))
}

async function objectsOfMarkdown(url: string, init: RequestInit): Promise<readonly string[]> {
  const { text } = await askText(url, init)
  return objectNames(Array.from(text.matchAll(/^`GET (\/[^`]*)`/gm), ([, path = '']) => path))
}

/** The structure of an object, for this user; nothing without an object. */
export function useMetadata(
  { rest }: Settings,
  session: Session,
  object: string,
  context?: 'create' | 'update',
): Loaded<ObjectMetadata> {
  const inContext = context === undefined ? '' : `&_metadacontext=${context}`
  const url = object === '' ? undefined : `${rest}/${encodeURIComponent(object)}/?_metadata=true${inContext}`
  return useAsked(url, session, askMetadata)
}

async function askMetadata(url: string, init: RequestInit): Promise<ObjectMetadata> {
  return (await ask(url, init)) as ObjectMetadata
}

const nothing = { value: undefined, problem: '' }

function useAsked<T>(
  url: string | undefined,
  session: Session,
  read: (url: string, init: RequestInit) => Promise<T>,
): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { readonly url?: string }>(nothing)
  useEffect(() => {
    if (url === undefined) return
    const controller = new AbortController()
    read(url, { headers: credentialsOf(session), signal: controller.signal })
      .then((value) => setState({ url, value, problem: '' }))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setState({ url, value: undefined, problem: (error as Error).message })
      })
    return () => controller.abort()
  }, [url, session])
  // An answer about another object is none.
  return state.url === url ? state : nothing
}
