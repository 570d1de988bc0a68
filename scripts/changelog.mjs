// How `changeset version` writes a CHANGELOG.md: see .changeset/config.json. Published packages always have the same
// version, so that the versions of a package's dependencies are no news.
import changelog from '@changesets/cli/changelog'

export default { ...changelog, getDependencyReleaseLine: () => '' }
