interface Rule {
  isAllowed: boolean
  pattern: string
}

/**
 * Whether the group of `User-agent: *` allows a path, by RFC 9309, section 2.2: the longest pattern that matches decides, an
 * allowance among equals, and nothing is forbidden that no rule matches.
 */
export function isAllowed(robots: string, path: string): boolean {
  const rules = rulesForAll(robots).filter(({ pattern }) => matches(pattern, path))
  rules.sort((a, b) => b.pattern.length - a.pattern.length || Number(b.isAllowed) - Number(a.isAllowed))
  return path === '/robots.txt' || (rules[0]?.isAllowed ?? true)
}

function rulesForAll(robots: string): Rule[] {
  const rules: Rule[] = []
  let isForAll = false
  let isHead = false
  for (const line of robots.split(/\r\n?|\n/)) {
    const [, name = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#]*?)\s*(?:#.*)?$/i.exec(line) ?? []
    const field = name.toLowerCase()
    if (field === 'user-agent') {
      // Several such lines begin one group.
      isForAll = (isHead && isForAll) || value === '*'
      isHead = true
    } else if (field === 'allow' || field === 'disallow') {
      isHead = false
      if (isForAll && value) rules.push({ isAllowed: field === 'allow', pattern: value })
    }
  }
  return rules
}

/** `*` stands for any characters, and `$` at the end for the end of the path. */
function matches(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith('$')
  const parts = (isWhole ? pattern.slice(0, -1) : pattern).split('*').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('.*')}${isWhole ? '$' : ''}`, 's').test(path)
}
