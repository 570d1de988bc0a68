import { Skeleton, ViewFailed } from '@steward/page-kit'
import { lazy, LocationProvider, Route, Router } from 'preact-iso'
import { useEffect, useRef } from 'preact/hooks'
import { Problem } from './components/problem.js'
import { Shell } from './components/shell.js'
import { SignIn } from './components/sign-in.js'
import { forget } from './lib/service.js'
import { start, useSession } from './lib/session.js'
import { uiPath } from './lib/settings.js'
import { useAsked } from './lib/use-asked.js'
import { Home } from './views/home.js'
import { List } from './views/list.js'
import { NotFound } from './views/not-found.js'

/** Loaded when a record is first shown. */
const Record = lazy(() =>
  import('./views/record.js').then(
    ({ Record }) => Record,
    () => ViewFailed,
  ),
)

/** Loaded when a pivot table is first shown. */
const Pivot = lazy(() =>
  import('./views/pivot.js').then(
    (loaded) => loaded.Pivot,
    () => ViewFailed,
  ),
)

/** Views by address. */
export function App() {
  const session = useSession()
  const { failure, reload } = useAsked('', start)
  const isIn = session.kind === 'in'
  const who = useRef('')
  if (isIn) who.current = session.login
  useEffect(() => forget, [who.current])
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (session.kind === 'starting') return <Skeleton />
  // Somebody whose session has ended signs in over the page, which keeps what was typed.
  if (session.kind === 'out' && !session.ended) return <SignIn />
  return (
    <LocationProvider scope={uiPath}>
      {/* Another user sees nothing of what was shown before. */}
      <Shell key={who.current}>
        <Router>
          <Route path={`${uiPath}/`} component={Home} />
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
