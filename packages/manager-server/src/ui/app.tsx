import { lazy, LocationProvider, Route, Router } from 'preact-iso'
import { Shell } from './components/shell.js'
import { uiPath } from './lib/addresses.js'
import { NotFound } from './views/not-found.js'

const Instances = lazy(() => import('./views/instances.js').then((view) => view.Instances))
const Instance = lazy(() => import('./views/instance.js').then((view) => view.Instance))
const Monitor = lazy(() => import('./views/monitor.js').then((view) => view.Monitor))
const Operations = lazy(() => import('./views/operations.js').then((view) => view.Operations))
const Operation = lazy(() => import('./views/operation.js').then((view) => view.Operation))
const Requests = lazy(() => import('./views/requests.js').then((view) => view.Requests))
const History = lazy(() => import('./views/history.js').then((view) => view.History))
const Terminal = lazy(() => import('./views/terminal.js').then((view) => view.Terminal))

/** Views by address; each is loaded when it is first shown. */
export function App() {
  return (
    <LocationProvider scope={uiPath}>
      <Shell>
        <Router>
          <Route path={`${uiPath}/`} component={Instances} />
          <Route path={`${uiPath}/instances/:name/:tab?`} component={Instance} />
          <Route path={`${uiPath}/monitor`} component={Monitor} />
          <Route path={`${uiPath}/operations`} component={Operations} />
          <Route path={`${uiPath}/operations/:id`} component={Operation} />
          <Route path={`${uiPath}/requests`} component={Requests} />
          <Route path={`${uiPath}/history`} component={History} />
          <Route path={`${uiPath}/terminal`} component={Terminal} />
          <Route default component={NotFound} />
        </Router>
      </Shell>
    </LocationProvider>
  )
}
