export interface Day {
  date: string
  count: number
  level: number
}

export interface Calendar {
  total: number
  data: Day[]
}

/** The first day (UTC) of the twelve months that end with `today`. */
export function firstDay(today: Date): Date {
  return new Date(Date.UTC(today.getUTCFullYear() - 1, today.getUTCMonth(), today.getUTCDate() + 1))
}

/** One entry for each day (UTC) of the twelve months that end today. Days that the code host did not send count 0. */
export function upToToday({ data }: Calendar, today = new Date()): Calendar {
  const byDate = new Map(data.map((day) => [day.date, day]))
  const days: Day[] = []
  for (const day = firstDay(today); day <= today; day.setUTCDate(day.getUTCDate() + 1)) {
    const date = day.toISOString().slice(0, 10)
    days.push(byDate.get(date) ?? { date, count: 0, level: 0 })
  }
  return { total: days.reduce((sum, { count }) => sum + count, 0), data: days }
}
