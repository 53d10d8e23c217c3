import type { Request } from '../../http/request.ts'
import type { Html } from '../html.ts'
import type { Visitor } from '../visitor.ts'
import type { FormState } from './form-state.ts'
import type { Notice } from './notices.ts'

/** A request for an account page. */
export interface Visit {
  request: Request
  query: URLSearchParams
  visitor: Visitor | undefined
  /** The cookies of the response. */
  cookies: string[]
  /** Runs an operation of the API with the same validation, and returns the `data` of its response. */
  perform<Data = unknown>(call: string, input?: object): Promise<Data>
  /** Runs what the operation does before its body is read. Pages with a `fileCall` have done so. */
  admit(call: string): Promise<void>
}

export interface MemberVisit extends Visit {
  visitor: Visitor
}

export interface Submission {
  fields: Record<string, string>
  file: Uint8Array | undefined
}

/** The result of a form: a redirect, and a notice to show after it. */
export interface Done {
  /** A path of this site, or the URL of a provider. */
  to: string
  notice?: Notice
  cookies?: string[]
}

/** Content that a form shows once, instead of a redirect, such as new recovery codes. */
export interface Shown {
  title: string
  main: Html
}

/** The result of a form that downloads a file. */
export interface Download {
  file: { name: string; type: string; content: string }
}

interface Page<V extends Visit> {
  path: string
  title: string
  /** The purpose, in one sentence. */
  description: string
  /** The operations of the API with the same effect. */
  calls: string[]
  /** Modules of `pages/web` for progressive enhancement. */
  scripts?: string[]
  /** The call that a form of the page uploads a file to. Its `admit` runs before the file is read. */
  fileCall?: string
  /** Whether the page shows the avatar of the user, which may be a picture of another site. */
  showsAvatar?: boolean
  main(visit: V, formState: FormState): Html | Promise<Html>
  /** The handlers of the page's forms, by name. */
  forms: Record<string, (visit: V, submission: Submission) => Promise<Done | Shown | Download>>
}

/** A page for anyone, or for guests. Signed-in users are redirected from pages for guests. */
export interface OpenPage extends Page<Visit> {
  access: 'anyone' | 'guests'
}

/** A page for signed-in users. Guests are redirected to the log-in page. */
export interface MemberPage extends Page<MemberVisit> {
  access: 'members'
}

export type AccountPage = OpenPage | MemberPage
