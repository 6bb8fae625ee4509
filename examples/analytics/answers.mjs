// Three questions, answered by SQL, with a chart in the terminal.

const width = 40;

/** A bar of up to `width` characters; the second kind is drawn over the beginning of the first. */
function bar(value, max, part = 0) {
  const cells = (n) => (max > 0 ? Math.round((Number(n) / Number(max)) * width) : 0);
  const [whole, inner] = [Math.max(cells(value), value > 0 ? 1 : 0), cells(part)];
  return ('█'.repeat(Math.min(inner, whole)) + '░'.repeat(Math.max(whole - inner, 0))).padEnd(width);
}

const percent = (part, whole) =>
  (whole > 0 ? `${Math.round((100 * Number(part)) / Number(whole))} %` : '–').padStart(5);

export async function printAnswers({ rows }) {
  const days = await rows(`
    with used as (select search_id, bool_or(used) as used from uses group by search_id)
    select strftime(happened_at at time zone 'UTC', '%Y-%m-%d') as day, count(*)::integer as searches,
      count(*) filter (results > 0)::integer as answered, count(*) filter (used.used)::integer as used
    from searches left join used using (search_id) group by day order by day desc limit 14`);
  title(
    'How many searches are there a day, and how many of them find something that is used?',
    '█ used  ░ others',
  );
  const most = Math.max(0, ...days.map((day) => day.searches));
  for (const { day, searches, answered, used } of days.reverse())
    console.log(
      `${day}  ${bar(searches, most, used)} ${searches} searches, answered ${percent(answered, searches)}, used ${percent(used, searches)}`,
    );
  if (days.length === 0) console.log('No searches yet.');

  const memories = await rows(`
    select memory_id, layer, count(accesses.event_id)::integer as shown,
      (select count(*) from uses where uses.memory_id = memories.memory_id and used)::integer as used
    from memories left join accesses using (memory_id)
    where deleted_at is null and erased_at is null and stored_at is not null group by memory_id, layer order by used desc, shown desc, memory_id`);
  title('Which memories are used, and which never?', '█ used  ░ shown');
  const top = memories.filter(({ shown }) => shown > 0).slice(0, 10);
  const mostShown = Math.max(0, ...top.map(({ shown }) => shown));
  for (const { memory_id, layer, shown, used } of top)
    console.log(
      `${memory_id}  ${(layer ?? '').padEnd(7)} ${bar(shown, mostShown, used)} shown ${shown}, used ${used}`,
    );
  const never = memories.filter(({ shown }) => shown === 0).length;
  console.log(
    `${never} of ${memories.length} memories (${percent(never, memories.length).trim()}) were never shown.`,
  );

  const costs = await rows(`
    select strftime(day, '%Y-%m-%d') as day, model, sum(usd) as usd, sum(input_tokens + output_tokens)::double as tokens
    from cost group by all order by 1 desc, 2 limit 20`);
  title('What do language models cost, by day and model?');
  const [by, unit] = costs.some(({ usd }) => usd > 0) ? ['usd', '$'] : ['tokens', 'tokens'];
  const dearest = Math.max(0, ...costs.map((cost) => cost[by] ?? 0));
  for (const cost of costs.reverse())
    console.log(
      `${cost.day}  ${cost.model.slice(0, 24).padEnd(24)} ${bar(cost[by] ?? 0, dearest, cost[by] ?? 0)} ${by === 'usd' ? `${unit}${(cost.usd ?? 0).toFixed(4)}, ` : ''}${cost.tokens} tokens`,
    );
  if (costs.length === 0) console.log('No language model was called, so nothing was spent.');
}

function title(question, legend) {
  console.log(`\n${question}${legend ? `   ${legend}` : ''}`);
}
