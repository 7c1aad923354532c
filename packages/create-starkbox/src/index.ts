// Public API of the package.
export {
  type CommandChoices,
  type CommandStreams,
  newProjectCommand,
  run,
} from './command.js';
export { InvalidOption, type NewProject, type NewProjectOptions, newProject } from './project.js';
