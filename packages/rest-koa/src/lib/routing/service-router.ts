import { Router } from '@koa/router'
import type { Layer, RouterContext, RouterMiddleware } from '@koa/router'
import type { Middleware, Next } from 'koa'

export interface ServedRoute {
  readonly name: string
  /** In the syntax of `@koa/router`. */
  readonly path: string
  readonly handler: RouterMiddleware
  /** Its addresses may be plain, and those of routes that are not plain never are, but for the last route. */
  readonly isPlain?: boolean
}

export interface ServiceRouterOptions {
  /** Base addresses, as `normalisePrefixes` gives them; a single one is the prefix of the router. */
  readonly prefixes: readonly string[]
  /** Whether a `/` at the end makes another address. Default false. */
  readonly strict?: boolean
  /** Tries only plain routes for plain addresses, as long as nothing was added to the router. Default false. */
  readonly fastPath?: boolean
}

/** Works in every Koa application, and in `use` of a router around it. */
export type RoutesMiddleware = Middleware & { readonly router: Router }

/** What a plain address does not have: names of the service, names after a colon, empty and encoded parts. */
const special = /\/[_/]|[:%]/

/**
 * A router that has its routes from the start. The middlewares and routes that an application adds come before them, in the
 * order in which they are added, until `routes()` is called.
 */
export class ServiceRouter extends Router {
  readonly #own = new Set<Layer>()

  /** Where routes are, relative to the router's own prefix. */
  readonly #bases: readonly string[]

  /** Plain routes, each with the last one below the same prefix, which matches everything. */
  readonly #plain: (readonly [route: Layer, last: Layer])[] = []
  readonly #hasFastPath: boolean

  constructor({ prefixes, strict = false, fastPath = false }: ServiceRouterOptions) {
    const [prefix = ''] = prefixes
    super({ ...(prefixes.length === 1 && { prefix }), sensitive: true, strict })
    this.#bases = prefixes.length === 1 ? [''] : prefixes
    this.#hasFastPath = fastPath
  }

  /** Adds a route of the service. It takes all methods: the service itself answers those that do not work. */
  serve(name: string, path: string, handler: RouterMiddleware): void {
    this.serveAll([{ name, path, handler }])
  }

  /** Adds routes below each of the prefixes. Of those that match an address, the first one answers. */
  serveAll(routes: readonly ServedRoute[]): void {
    for (const base of this.#bases) {
      const layers = routes.map(({ name, path, handler }) => {
        this.all(name, path === '/' && base !== '' ? base : base + path, handler)
        return this.stack.at(-1) as Layer
      })
      for (const [at, layer] of layers.entries()) {
        this.#own.add(layer)
        if (this.#hasFastPath && routes[at]?.isPlain) this.#plain.push([layer, layers.at(-1) as Layer])
      }
    }
  }

  override routes(): RoutesMiddleware {
    return this.middleware()
  }

  override middleware(): RoutesMiddleware {
    this.stack = [...this.stack.filter((layer) => !this.#own.has(layer)), ...this.#own]
    const dispatch = super.middleware() as RoutesMiddleware
    return this.#plain.length === 0 ? dispatch : this.#withFastPath(dispatch)
  }

  /** Sets on the context what the router sets. */
  #withFastPath(dispatch: RoutesMiddleware): RoutesMiddleware {
    const fastPath = (context: RouterContext, next: Next): unknown => {
      const { path } = context
      if (this.stack.length !== this.#own.size || this.host !== undefined || special.test(path))
        return dispatch(context, next)
      for (const [layer, last] of this.#plain) {
        const captures = layer.captures(path)
        if (captures.length === 0 && !(layer.paramNames.length === 0 && layer.match(path))) continue
        if (layer.stack.length > 1) return dispatch(context, next)
        context.matched = [layer, last]
        context.router = this
        context.routeMatched = true
        context.captures = captures
        const sent = sentParameters(layer, captures)
        context.params = context.request.params = context.params ? { ...context.params, ...sent } : sent
        context.routerPath = context._matchedRoute = layer.path as string
        context.routerName = context._matchedRouteName = layer.name as string
        return (layer.stack[0] as RouterMiddleware)(context, next)
      }
      return dispatch(context, next)
    }
    return Object.assign(fastPath as Middleware, { router: this })
  }
}

/**
 * The parameters of a route as they were sent: the router decodes what it can, and leaves what is wrongly encoded as it is.
 *
 * @param captures `ctx.captures`
 */
export function sentParameters(
  { paramNames }: Layer,
  captures: readonly (string | undefined)[],
): Record<string, string> {
  const sent: Record<string, string> = {}
  for (let at = 0; at < captures.length; at++) {
    const text = captures[at]
    if (text) sent[(paramNames[at] as Layer['paramNames'][number]).name] = text
  }
  return sent
}

/** The route of a handler that matches the path, also below the prefixes of the routers around it. */
export function layerOf({ matched = [] }: RouterContext, handler: RouterMiddleware): Layer | undefined {
  return matched.find(({ stack }) => stack.at(-1) === handler)
}
