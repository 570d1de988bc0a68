import type { ObjectMetadata } from '@steward/rest-core'
import { useEffect, useState } from 'preact/hooks'
import { objectNames } from './metadata.js'
import { ask, credentialsOf } from './session.js'
import type { Session } from './session.js'
import type { Settings } from './settings.js'

/** Something that the page asks the service for. */
export interface Loaded<T> {
  readonly value: T | undefined
  /** Why it is not there; empty while it loads. */
  readonly problem: string
}

/** The objects that the user may work with; the documentation of the service knows them. */
export function useObjects({ rest }: Settings, session: Session): Loaded<readonly string[]> {
  return useAsked(`${rest}/?_doc=true&_output=openapi`, session, objectNames)
}

/** What an object is made of, for this user; nothing without an object. */
export function useMetadata({ rest }: Settings, session: Session, object: string): Loaded<ObjectMetadata> {
  const url = object === '' ? undefined : `${rest}/${encodeURIComponent(object)}/?_metadata=true`
  return useAsked(url, session, (body) => body as ObjectMetadata)
}

const nothing = { value: undefined, problem: '' }

function useAsked<T>(url: string | undefined, session: Session, read: (body: unknown) => T): Loaded<T> {
  const [state, setState] = useState<Loaded<T> & { readonly url?: string }>(nothing)
  useEffect(() => {
    if (url === undefined) return
    const controller = new AbortController()
    ask(url, { headers: credentialsOf(session), signal: controller.signal })
      .then((body) => setState({ url, value: read(body), problem: '' }))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setState({ url, value: undefined, problem: (error as Error).message })
      })
    return () => controller.abort()
  }, [url, session])
  // An answer about another object is none.
  return state.url === url ? state : nothing
}
