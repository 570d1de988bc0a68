import { lazyView, preloadWhenIdle, Skeleton, useStore } from '@steward/page-kit'
import { LocationProvider, Route, Router } from 'preact-iso'
import { useEffect, useRef } from 'preact/hooks'
import { Problem } from './components/problem.js'
import { Shell } from './components/shell.js'
import { SignIn } from './components/sign-in.js'
import { forgetChanges } from './lib/changes.js'
import { forget } from './lib/service.js'
import { start, useSession } from './lib/session.js'
import { uiPath } from './lib/settings.js'
import { useAsked } from './lib/use-asked.js'
import { viewAs } from './lib/view-as.js'
import { Home } from './views/home.js'
import { List } from './views/list.js'
import { NotFound } from './views/not-found.js'

const Record = lazyView(() => import('./views/record.js').then((loaded) => loaded.Record))
const Pivot = lazyView(() => import('./views/pivot.js').then((loaded) => loaded.Pivot))
const Reference = lazyView(() => import('./views/reference.js').then((loaded) => loaded.Reference))
const Administration = lazyView(() => import('./admin/admin.js').then((loaded) => loaded.Administration))

/** Views by address. */
export function App() {
  const session = useSession()
  const { failure, reload } = useAsked('', start)
  const isIn = session.kind === 'in'
  const who = useRef('')
  const viewed = useStore(viewAs)
  if (isIn) who.current = session.login
  useEffect(
    () => () => {
      forget()
      forgetChanges()
    },
    [who.current],
  )
  useEffect(() => {
    if (isIn) void preloadWhenIdle([Record, Pivot, Administration])
  }, [isIn])
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (session.kind === 'starting') return <Skeleton />
  // A user whose session has ended signs in over the page, which keeps what was typed.
  if (session.kind === 'out' && !session.ended) return <SignIn />
  return (
    <LocationProvider scope={uiPath}>
      {/* Another user sees nothing of what was shown before. */}
      <Shell key={`${who.current} ${viewed?.login ?? ''}`}>
        <Router>
          <Route path={`${uiPath}/`} component={Home} />
          <Route path={`${uiPath}/_admin/:section/:id?`} component={Administration} />
          <Route path={`${uiPath}/_reference`} component={Reference} />
          <Route path={`${uiPath}/:object`} component={List} />
          <Route path={`${uiPath}/:object/:id`} component={Record} />
          <Route path={`${uiPath}/:object/pivot/:name`} component={Pivot} />
          <Route default component={NotFound} />
        </Router>
      </Shell>
      {session.kind === 'out' && <SignIn over />}
    </LocationProvider>
  )
}
