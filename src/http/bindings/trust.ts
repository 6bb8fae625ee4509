import { decideReview, decideReviews } from '../../api/trust/decide-review.ts';
import { listReviews } from '../../api/trust/reviews.ts';
import { getTrust, putTrust } from '../../api/trust/trust-policy.ts';
import { bind } from '../binding.ts';

const wait = ['minPosition', 'waitMs'];

/** `bulk` comes before `:id`, which would match it too. */
export const trustBindings = [
  bind(listReviews, 'get', '/v1/reviews', {
    success: { status: 200, description: 'A page of reviews' },
    query: ['kind', 'limit', 'cursor', ...wait],
  }),
  bind(decideReviews, 'post', '/v1/reviews/bulk', {
    success: { status: 200, description: 'What became of each' },
  }),
  bind(decideReview, 'post', '/v1/reviews/:id', {
    success: { status: 200, description: 'The memory after the decision' },
  }),
  bind(getTrust, 'get', '/v1/admin/trust', {
    success: { status: 200, description: 'The policy' },
    query: wait,
  }),
  bind(putTrust, 'put', '/v1/admin/trust', {
    success: { status: 200, description: 'The new policy' },
  }),
];
