// The package's door: what tests inside and outside of Starkbox may import.
export {
  type CheckOptions,
  loadPublishedSpec,
  type PublishedError,
  type PublishedMethod,
  type PublishedParam,
  type PublishedSpec,
} from './published-spec.js';
