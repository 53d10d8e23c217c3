import { readDocument } from './api-description.ts'

export interface DescribedRoute {
  method: string
  path: string
  /** The names of the fields of its body; undefined when it takes none. */
  fields: string[] | undefined
  /** Whether there are fields that a body must have. */
  needsBody: boolean
}

/** Every route of the account API as the service itself describes it, so that no route is forgotten by a test. */
export async function describedRoutes(service: { url: string }): Promise<DescribedRoute[]> {
  const { paths } = await readDocument(service)
  return Object.entries<Record<string, DescribedMethod>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      fields: requestBody && Object.values(requestBody.content).flatMap(({ schema }) => Object.keys(schema.properties)),
      needsBody: requestBody?.required ?? false,
    })),
  )
}

interface DescribedMethod {
  requestBody?: { required: boolean; content: Record<string, { schema: { properties: object } }> }
}

export async function routesWithBody(service: { url: string }) {
  const routes = await describedRoutes(service)
  return routes.filter((route): route is DescribedRoute & { fields: string[] } => route.fields !== undefined)
}
