export interface Day {
  date: string
  count: number
  level: number
}

export interface Calendar {
  total: number
  data: Day[]
}

/** Twelve months that end on a day (UTC) begin here. */
export function firstDay(today: Date): Date {
  return new Date(Date.UTC(today.getUTCFullYear() - 1, today.getUTCMonth(), today.getUTCDate() + 1))
}

/** The twelve months that end today (UTC), a day each and none left out, whatever the code host sent and when. */
export function upToToday({ data }: Calendar, today = new Date()): Calendar {
  const counted = new Map(data.map((day) => [day.date, day]))
  const days: Day[] = []
  for (const day = firstDay(today); day <= today; day.setUTCDate(day.getUTCDate() + 1)) {
    const date = day.toISOString().slice(0, 10)
    days.push(counted.get(date) ?? { date, count: 0, level: 0 })
  }
  return { total: days.reduce((sum, { count }) => sum + count, 0), data: days }
}
