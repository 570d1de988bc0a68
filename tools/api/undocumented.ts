/** Functions and values whose doc comment is missing in a report: their types do not say what they do. */
export function undocumentedIn(report: string): string[] {
  const pattern = /^\/\/ @public \(undocumented\)\nexport (?:declare )?(?:abstract )?(?:function|class|const) (\w+)/gm
  return [...report.matchAll(pattern)].map(([, name = '']) => name)
}
