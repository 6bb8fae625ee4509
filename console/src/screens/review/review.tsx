import { isProblem } from '@stratalog/client';
import { useRef, useState } from 'preact/hooks';
import { useAddress } from '../../app/address.tsx';
import { useSession } from '../../app/session.tsx';
import { usePages } from '../../app/use-pages.ts';
import { Loading, Trouble } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Checkbox, Field, Filters, Select } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { choicesOf, commonChoices, kinds, otherOf, type Choice } from './decisions.ts';
import { DecisionsTaken } from './decisions-taken.tsx';
import { ReviewDetail } from './review-detail.tsx';
import { ReviewList } from './review-list.tsx';
import { useDecisions } from './use-decisions.ts';
import { useLetters } from './use-letters.ts';
import './review.css';

/** Most reviews that one call decides about. */
const maxAtOnce = 500;

/** What waits for a person's decision, and the decisions. */
export default function Reviews() {
  const { values, set } = useAddress();
  const { may } = useSession();
  const kind = kinds.find(([one]) => one === values['kind'])?.[0];
  const hasLetters = values['letters'] !== 'off';
  const mayDecide = may('decideReviews');
  const reviews = usePages('reviews.list', [{ limit: 50, ...(kind && { kind: [kind] }) }]);
  const decisions = useDecisions();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<Readonly<Record<string, string>>>({});
  const [reason, setReason] = useState('');

  const { items } = reviews;
  // After a decision the next one takes the place of the one that has left the list.
  const place = useRef(0);
  const found = items.findIndex(({ id }) => id === values['id']);
  const current = found >= 0 ? found : Math.min(place.current, items.length - 1);
  place.current = Math.max(current, 0);
  const review = items[current];
  const picked = items.filter(({ id }) => selected.has(id)).slice(0, maxAtOnce);

  const open = (index: number) => {
    const target = items[Math.max(0, Math.min(index, items.length - 1))];
    if (target) set({ id: target.id });
    if (index >= items.length - 2) reviews.more();
  };
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    setSelected(next);
  };
  const decide = ({ decision }: Choice) => {
    if (!review || decisions.isRunning) return;
    void decisions.decide([review], decision, {
      with: otherOf(review, decision, chosen[review.id]),
      reason,
    });
  };
  const decideAll = async ({ decision }: Choice) => {
    const accepted = new Set(await decisions.decide(picked, decision, { reason }));
    setSelected((before) => new Set([...before].filter((id) => !accepted.has(id))));
  };
  const lastTaken = decisions.taken[0];
  const letters = review && mayDecide ? choicesOf(review) : [];
  useLetters(
    {
      ...Object.fromEntries(letters.map((choice) => [choice.letter, () => decide(choice)])),
      j: () => open(current + 1),
      k: () => open(current - 1),
      ...(review && { x: () => toggle(review.id) }),
      ...(lastTaken && !decisions.isRunning && { u: () => void decisions.undo(lastTaken) }),
    },
    hasLetters,
  );

  // The policies of spaces decide it, so that the menu cannot know.
  if (isProblem(reviews.error, 'forbidden'))
    return (
      <Page title="Review">
        <Empty title="Your role reviews no memories">
          Members, readers, auditors and admins do, where the trust policy of a space names them.
        </Empty>
      </Page>
    );
  return (
    <Page title="Review" question="What waits for a person's decision?">
      <Filters aria-label="Filters">
        <Select
          label="Kind"
          value={kind ?? ''}
          onValue={(value) => set({ kind: value, id: undefined })}
          choices={[['', 'All kinds'], ...kinds.map(([one, name]) => [one, name] as const)]}
        />
        {mayDecide && (
          <Field
            label="Reason, for the history of the memories"
            value={reason}
            onValue={setReason}
            pauseMs={300}
          />
        )}
        <Checkbox
          label={
            <span>
              Keys: <kbd>j</kbd> <kbd>k</kbd> move, <kbd>x</kbd> selects, <kbd>u</kbd> undoes
            </span>
          }
          isChecked={hasLetters}
          onChange={(isChecked) => set({ letters: isChecked ? undefined : 'off' })}
        />
      </Filters>
      <DecisionsTaken decisions={decisions} listed={items} />
      {decisions.error && <Trouble error={decisions.error} />}
      {reviews.error && <Trouble error={reviews.error} onRepeat={reviews.repeat} />}
      {reviews.isPending && !reviews.error && <Loading what="the reviews" />}
      {!reviews.isPending && !reviews.error && items.length === 0 && (
        <Empty title={kind ? 'Nothing of this kind waits for a review' : 'Nothing waits for a review'}>
          Memories come here that a space holds for review, that contradict or repeat others, or that callers
          judged outdated. What is held, is set by the trust policy of a space.
        </Empty>
      )}
      {review && (
        <div class="review">
          <div class="review-side">
            <div class="bulk" role="group" aria-label="Decide about the selected reviews">
              <Checkbox
                label={
                  picked.length > 0
                    ? `${picked.length.toLocaleString()} selected`
                    : `Select all ${items.length.toLocaleString()} shown${reviews.hasMore ? ', of more' : ''}`
                }
                isChecked={items.length > 0 && items.every(({ id }) => selected.has(id))}
                onChange={(isChecked) => setSelected(new Set(isChecked ? items.map(({ id }) => id) : []))}
              />
              {mayDecide &&
                commonChoices(picked).map((choice) => (
                  <Button
                    key={choice.decision}
                    kind={choice.decision === 'reject' ? 'danger' : 'plain'}
                    disabled={decisions.isRunning}
                    onClick={() => void decideAll(choice)}
                    title={`Each of them: ${choice.consequence}`}
                  >
                    {choice.name}
                  </Button>
                ))}
              {picked.length > 0 && commonChoices(picked).length === 0 && (
                <span class="muted">These kinds share no decision.</span>
              )}
            </div>
            <ReviewList
              reviews={items}
              current={current}
              selected={selected}
              refusals={decisions.refusals}
              onOpen={(id) => set({ id })}
              onSelect={toggle}
              onEnd={reviews.more}
              onStart={reviews.shorten}
            />
          </div>
          <ReviewDetail
            key={review.id}
            review={review}
            chosen={chosen[review.id]}
            onChoose={(id) => setChosen({ ...chosen, [review.id]: id })}
            refusal={decisions.refusals[review.id]}
            mayDecide={mayDecide}
            isRunning={decisions.isRunning}
            onDecide={decide}
          />
        </div>
      )}
    </Page>
  );
}
