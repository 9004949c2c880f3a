import { ArrayMaxSize, ArrayMinSize, IsArray, IsString } from 'class-validator';
import { Described } from './decorators.js';
import { RequestReader } from './request-reader.js';

/** Lines that one request may have. */
const LINES_MAX = 200;

const SIZE = `\`lines\` is a list of 1 to ${LINES_MAX} texts.`;

/** Body of `POST /v1/archive`. Its lines are judged one by one. */
class PutBackRequest {
  @Described('Lines of an archive as they stand there.')
  @IsString({ each: true, message: SIZE })
  @ArrayMaxSize(LINES_MAX, { message: SIZE })
  @ArrayMinSize(1, { message: SIZE })
  @IsArray({ message: SIZE })
  lines!: readonly string[];
}

/** Reads the body of `POST /v1/archive`. */
export const putBackReader = new RequestReader(PutBackRequest);
