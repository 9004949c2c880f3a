import { Catch, type ExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/**
 * Hands on what no other filter caught. Nest's own last resort would log it and reply "Internal
 * server error"; a command's error belongs into its task, with its message.
 */
@Catch()
export class LastResortFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
