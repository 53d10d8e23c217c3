// The names that ua-parser-js uses.
const BROWSERS = new Set([
  ...['Amazon Silk', 'Silk', 'Android Browser', 'Avast Secure Browser', 'Brave', 'Chrome', 'Chrome Headless'],
  ...['Chrome WebView', 'Chromium', 'DuckDuckGo', 'Edge', 'Electron', 'Epiphany', 'Facebook', 'Falkon', 'Firefox'],
  ...['Firefox Focus', 'Firefox Reality', 'GSA', 'Huawei Browser', 'IE', 'Instagram', 'Konqueror', 'LinkedIn'],
  ...['MIUI Browser', 'Maxthon', 'Mobile Safari', 'Opera', 'Opera GX', 'Opera Mini', 'Opera Mobi', 'Opera Tablet'],
  ...['Opera Touch', 'PaleMoon', 'QQBrowser', 'Safari', 'Samsung Internet', 'SeaMonkey', 'Snapchat', 'TikTok'],
  ...['UCBrowser', 'Vivaldi', 'Waterfox', 'WeChat', 'WebKit', 'Whale', 'Yandex', 'curl', 'okhttp'],
])

const SYSTEMS = new Set([
  ...['Android', 'Android-x86', 'Arch', 'BlackBerry', 'CentOS', 'Chrome OS', 'Chromium OS', 'Debian', 'Deepin'],
  ...['Fedora', 'FreeBSD', 'Gentoo', 'GNU', 'HarmonyOS', 'iOS', 'KAIOS', 'KaiOS', 'Linux', 'Mac OS', 'Manjaro', 'Mint'],
  ...['NetBSD', 'Nintendo', 'OpenBSD', 'PlayStation', 'RedHat', 'SUSE', 'Solaris', 'Tizen', 'Ubuntu', 'watchOS'],
  ...['webOS', 'Windows', 'Windows Mobile', 'Windows Phone', 'Xbox'],
])

/** The name and version of a well-known browser; undefined for every other name. */
export function knownBrowser(name: string | undefined, version: string | undefined): string | undefined {
  return nameFromList(BROWSERS, name, version)
}

export function knownSystem(name: string | undefined, version: string | undefined): string | undefined {
  return nameFromList(SYSTEMS, name, version)
}

/** A version is included only if it has nothing but digits and dots, so that it cannot contain text of the client. */
function nameFromList(names: Set<string>, name: string | undefined, version = ''): string | undefined {
  if (name === undefined || !names.has(name)) return undefined
  return /^[\d.]{1,20}$/.test(version) ? `${name} ${version}` : name
}
